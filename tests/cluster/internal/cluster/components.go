package cluster

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"ballast.dev/tests/cluster/internal/kube"
)

// component is one program of the control plane. Each attempt to start it uses new ports. It is
// ready when it listens on all of them and `ready`, if there is one, returns no error.
type component struct {
	name      string
	program   string // empty: that of its name in bin
	ports     int
	arguments func(ports []int) []string
	ready     func(ctx context.Context, ports []int) error
}

const (
	loopback      = "127.0.0.1"
	tokenIssuer   = "https://kubernetes.default.svc"
	serviceRange  = "10.96.0.0/16"
	firstService  = "10.96.0.1"
	hpaController = "horizontal-pod-autoscaler-controller"
)

var controllers = []string{
	"deployment-controller", "statefulset-controller", "replicaset-controller",
	"replicationcontroller-controller", "job-controller", "garbage-collector-controller",
	"namespace-controller", "serviceaccount-controller", "serviceaccount-token-controller",
	"root-ca-certificate-publisher-controller", "clusterrole-aggregation-controller",
}

func (c *Cluster) etcd(o Options) component {
	return component{
		name: "etcd", ports: 2,
		arguments: func(ports []int) []string {
			clients, peers := "http://"+hostPort(ports[0]), "http://"+hostPort(ports[1])
			return append([]string{
				"--data-dir=" + c.path("etcd"),
				"--listen-client-urls=" + clients, "--advertise-client-urls=" + clients,
				"--listen-peer-urls=" + peers, "--initial-advertise-peer-urls=" + peers,
				"--initial-cluster=default=" + peers,
				// Its data does not outlive the cluster.
				"--unsafe-no-fsync", "--log-level=warn",
			}, o.Flags["etcd"]...)
		},
	}
}

func (c *Cluster) apiServer(o Options, etcd int) component {
	pki := func(name string) string { return c.path("pki", name) }
	return component{
		name: "kube-apiserver", ports: 1,
		arguments: func(ports []int) []string {
			return append([]string{
				"--etcd-servers=http://" + hostPort(etcd),
				"--bind-address=" + loopback, "--advertise-address=" + loopback,
				fmt.Sprintf("--secure-port=%d", ports[0]),
				"--endpoint-reconciler-type=none",
				"--service-cluster-ip-range=" + serviceRange,
				"--authorization-mode=RBAC",
				"--client-ca-file=" + pki("ca.crt"),
				"--tls-cert-file=" + pki("server.crt"), "--tls-private-key-file=" + pki("server.key"),
				"--service-account-issuer=" + tokenIssuer,
				"--service-account-key-file=" + pki("tokens.key"),
				"--service-account-signing-key-file=" + pki("tokens.key"),
				"--requestheader-client-ca-file=" + pki("front-proxy-ca.crt"),
				"--requestheader-allowed-names=front-proxy-client",
				"--requestheader-username-headers=X-Remote-User",
				"--requestheader-group-headers=X-Remote-Group",
				"--requestheader-extra-headers-prefix=X-Remote-Extra-",
				"--proxy-client-cert-file=" + pki("front-proxy.crt"),
				"--proxy-client-key-file=" + pki("front-proxy.key"),
				"--audit-policy-file=" + c.path("audit-policy.yaml"),
				"--audit-log-path=" + c.path("audit.log"), "--audit-log-mode=blocking-strict",
			}, o.Flags["kube-apiserver"]...)
		},
		ready: func(ctx context.Context, ports []int) error {
			client, err := c.client(address(ports[0]))
			if err != nil {
				return err
			}
			return client.Get(ctx, "/readyz", nil)
		},
	}
}

func (c *Cluster) controllerManager(o Options, client *kube.Client) component {
	chosen := controllers
	if o.HPAController {
		chosen = append(chosen[:len(chosen):len(chosen)], hpaController)
	}
	return component{
		name: "kube-controller-manager",
		arguments: func([]int) []string {
			return append([]string{
				"--kubeconfig=" + c.path("kubeconfig"),
				"--controllers=" + strings.Join(chosen, ","),
				"--service-account-private-key-file=" + c.path("pki", "tokens.key"),
				"--root-ca-file=" + c.path("pki", "ca.crt"),
				"--leader-elect=false", "--secure-port=0",
				// As in a real cluster, so that the audit log shows which controller wrote.
				"--use-service-account-credentials",
				// Tests should not have to wait for these controllers' rate limits.
				"--kube-api-qps=1000", "--kube-api-burst=2000",
				"--horizontal-pod-autoscaler-sync-period=2s",
			}, o.Flags["kube-controller-manager"]...)
		},
		// Pods are rejected until their namespace has its default ServiceAccount.
		ready: func(ctx context.Context, _ []int) error {
			return client.Get(ctx, "/api/v1/namespaces/default/serviceaccounts/default", nil)
		},
	}
}

// kubelet lets nodes be ready, and their pods; the script of that name in the folder builds it.
func (c *Cluster) kubelet(folder string, client *kube.Client, o Options) component {
	return component{
		name: "kubelet", program: filepath.Join(folder, "kubelet"),
		arguments: func([]int) []string {
			return []string{"--kubeconfig=" + c.path("kubeconfig"), fmt.Sprintf("--nodes=%d", o.Nodes)}
		},
		ready: func(ctx context.Context, _ []int) error { return nodesReady(ctx, client, o.Nodes) },
	}
}

// kwok does the same, serves metrics-server, and can run the program of an exec.
func (c *Cluster) kwok(o Options, client *kube.Client) component {
	return component{
		name: "kwok", ports: 1,
		arguments: func(ports []int) []string {
			return append([]string{
				"--kubeconfig=" + c.path("kubeconfig"),
				"--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
				"--enable-crds=Stage,Metric,ResourceUsage,ClusterResourceUsage",
				"--server-address=" + hostPort(ports[0]),
				"--node-ip=" + loopback, fmt.Sprintf("--node-port=%d", ports[0]),
				"--tls-cert-file=" + c.path("pki", "server.crt"),
				"--tls-private-key-file=" + c.path("pki", "server.key"),
			}, o.Flags["kwok"]...)
		},
		ready: func(ctx context.Context, _ []int) error { return nodesReady(ctx, client, o.Nodes) },
	}
}

func (c *Cluster) metricsServer(o Options) component {
	return component{
		name: "metrics-server", ports: 1,
		arguments: func(ports []int) []string {
			kubeconfig := c.path("kubeconfig")
			return append([]string{
				"--kubeconfig=" + kubeconfig,
				"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
				"--bind-address=" + loopback, fmt.Sprintf("--secure-port=%d", ports[0]),
				"--tls-cert-file=" + c.path("pki", "server.crt"),
				"--tls-private-key-file=" + c.path("pki", "server.key"),
				"--kubelet-insecure-tls", "--kubelet-use-node-status-port",
				"--kubelet-preferred-address-types=InternalIP",
				"--metric-resolution=10s", "--kubelet-request-timeout=5s",
			}, o.Flags["metrics-server"]...)
		},
		// /readyz fails until the first values arrive, much later; the APIService reports that.
		ready: func(ctx context.Context, ports []int) error {
			client, err := c.client(address(ports[0]))
			if err != nil {
				return err
			}
			return client.Get(ctx, "/livez", nil)
		},
	}
}

// player is the load player, which the script of that name in the folder builds.
func (c *Cluster) player(folder string, client *kube.Client) component {
	return component{
		name: "load", program: filepath.Join(folder, "load"),
		arguments: func([]int) []string {
			return []string{"--kubeconfig=" + c.path("kubeconfig"), "--via=api"}
		},
		ready: func(ctx context.Context, _ []int) error {
			return client.Get(ctx, "/apis/metrics.k8s.io/v1beta1/pods", nil)
		},
	}
}

func nodesReady(ctx context.Context, client *kube.Client, count int) error {
	var nodes struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   struct {
				Conditions []struct{ Type, Status string }
			}
		}
	}
	if err := client.Get(ctx, "/api/v1/nodes", &nodes); err != nil {
		return err
	}
	if len(nodes.Items) < count {
		return fmt.Errorf("%d of %d nodes", len(nodes.Items), count)
	}
next:
	for _, node := range nodes.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type == "Ready" && condition.Status == "True" {
				continue next
			}
		}
		return fmt.Errorf("node %s is not ready", node.Metadata.Name)
	}
	return nil
}

// freePorts returns ports that the kernel chooses and that no process uses at the moment.
func freePorts(count int) ([]int, error) {
	ports := make([]int, count)
	for i := range ports {
		// All stay open until the last one is chosen; otherwise the kernel might choose one twice.
		listener, err := net.Listen("tcp", hostPort(0))
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		ports[i] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}

func hostPort(port int) string { return fmt.Sprintf("%s:%d", loopback, port) }

func address(port int) string { return "https://" + hostPort(port) }
