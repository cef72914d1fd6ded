package pki

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

func mustAuthority(t *testing.T) (*Authority, *x509.CertPool) {
	t.Helper()
	authority, err := NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority.PEM) {
		t.Fatal("the authority's PEM holds no certificate")
	}
	return authority, pool
}

func parse(t *testing.T, pair Pair) *x509.Certificate {
	t.Helper()
	// Also checks that the key belongs to the certificate.
	both, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(both.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

func TestServing(t *testing.T) {
	authority, pool := mustAuthority(t)
	_, stranger := mustAuthority(t)
	pair, err := authority.Serving("localhost", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	certificate := parse(t, pair)
	for _, test := range []struct {
		host  string
		roots *x509.CertPool
		good  bool
	}{
		{"localhost", pool, true},
		{"127.0.0.1", pool, true},
		{"elsewhere", pool, false},
		{"localhost", stranger, false},
	} {
		_, err := certificate.Verify(x509.VerifyOptions{DNSName: test.host, Roots: test.roots})
		if (err == nil) != test.good {
			t.Errorf("%s: %v", test.host, err)
		}
	}
}

func TestClient(t *testing.T) {
	authority, pool := mustAuthority(t)
	pair, err := authority.Client("admin", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	certificate := parse(t, pair)
	options := x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if _, err := certificate.Verify(options); err != nil {
		t.Error(err)
	}
	if got := certificate.Subject.String(); got != "CN=admin,O=system:masters" {
		t.Errorf("subject %s", got)
	}
}
