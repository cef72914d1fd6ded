"""Stand-ins for the managed Prometheus of three clouds and their identity services, which check who asks, by the
clouds' documents and not by Ballast's code."""

import hashlib
import hmac
import http.server
import json
import threading
import time
from urllib.parse import parse_qsl, quote, urlsplit

ROLE, REGION, TENANT, CLIENT = "arn:aws:iam::1:role/ballast", "eu-west-1", "tenant-1", "client-1"
# What nobody may see. The tokens are the workload's own.
AWS_TOKEN, POD_TOKEN, AZURE_TOKEN = "aws-workload-jwt", "aws-pod-identity-jwt", "azure-workload-jwt"
AWS_KEYS = {"AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "aws-secret-key", "SessionToken": "aws-session-token"}
GOOGLE, AZURE = "google-access-token", "azure-access-token"
SECRETS = (AWS_TOKEN, POD_TOKEN, AZURE_TOKEN, AWS_KEYS["SecretAccessKey"], AWS_KEYS["SessionToken"], GOOGLE, AZURE)


def signature(method, target, headers, names, scope, secret):
    """That of Signature Version 4, for a request without a body."""
    url = urlsplit(target)
    encode = lambda text: quote(text, safe="-_.~")
    query = "&".join(sorted(f"{encode(name)}={encode(value)}"
                            for name, value in parse_qsl(url.query, keep_blank_values=True)))
    lines = "".join(f"{name}:{headers[name].strip()}\n" for name in names.split(";"))
    request = "\n".join([method, quote(url.path, safe="/-_.~"), query, lines, names, hashlib.sha256(b"").hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashlib.sha256(request.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def aws_refusal(method, target, headers):
    """Why the signature is none; empty: it is one."""
    try:
        algorithm, _, rest = headers["authorization"].partition(" ")
        parts = dict(part.strip().split("=", 1) for part in rest.split(","))
        key, _, scope = parts["Credential"].partition("/")
    except (KeyError, ValueError) as error:
        return f"no signature: {error}"
    day = time.strftime("%Y%m%d", time.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ"))
    if (algorithm, key, scope) != ("AWS4-HMAC-SHA256", AWS_KEYS["AccessKeyId"], f"{day}/{REGION}/aps/aws4_request"):
        return f"another scope: {key}/{scope}"
    names = parts["SignedHeaders"]
    if not {"host", "x-amz-date", "x-amz-security-token"} <= set(names.split(";")):
        return f"not all headers are signed: {names}"
    if headers["x-amz-security-token"] != AWS_KEYS["SessionToken"]:
        return "another session"
    made = signature(method, target, headers, names, scope, AWS_KEYS["SecretAccessKey"])
    return "" if made == parts["Signature"] else "the signature does not match"


class Clouds:
    """Serves /amp, /eks (as /amp is, with the keys of the pod's identity), /gmp and /azure, and what gives credentials for them, until close(). `broken`: whether the sources
    refuse everybody, and repeat what they got."""

    def __init__(self):
        self.broken, self.refusals = False, []
        clouds = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.answer(*clouds.answer("GET", self.path, self.lower(), ""))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(*clouds.answer("POST", self.path, self.lower(), body))

            def lower(self):
                return {name.lower(): value for name, value in self.headers.items()}

            def answer(self, status, text):
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, method, target, headers, body):
        """(status, text)."""
        url = urlsplit(target)
        if url.path.endswith("/api/v1/query"):
            return self._query(method, target, headers)
        form = dict(parse_qsl(url.query if method == "GET" else body))
        if url.path == "/sts/" and form == {
                "Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": ROLE,
                "RoleSessionName": "ballast", "WebIdentityToken": AWS_TOKEN}:
            given = AWS_KEYS | {"Expiration": time.time() + 3600}
            return 200, json.dumps({"AssumeRoleWithWebIdentityResponse": {
                "AssumeRoleWithWebIdentityResult": {"Credentials": given}}})
        if method == "GET" and target == "/agent/v1/credentials" and headers.get("authorization") == POD_TOKEN:
            return 200, json.dumps({
                "AccessKeyId": AWS_KEYS["AccessKeyId"], "SecretAccessKey": AWS_KEYS["SecretAccessKey"],
                "Token": AWS_KEYS["SessionToken"], "AccountId": "111122223333",
                "Expiration": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))})
        if (target == "/metadata/computeMetadata/v1/instance/service-accounts/default/token"
                and headers.get("metadata-flavor") == "Google"):
            return 200, json.dumps({"access_token": GOOGLE, "expires_in": 3599, "token_type": "Bearer"})
        if method == "POST" and target == f"/login/{TENANT}/oauth2/v2.0/token" and form == {
                "grant_type": "client_credentials", "client_id": CLIENT,
                "scope": "https://prometheus.monitor.azure.com/.default", "client_assertion": AZURE_TOKEN,
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}:
            return 200, json.dumps({"access_token": AZURE, "expires_in": 3599, "token_type": "Bearer"})
        self.refusals.append(f"{method} {target}")
        return 400, json.dumps({"error": f"not for {form}"})

    def _query(self, method, target, headers):
        if self.broken:
            credential = headers.get("x-amz-security-token") or headers.get("authorization")
            return 403, json.dumps({"message": f"forbidden: {credential}"})
        refusal = aws_refusal(method, target, headers) if target.startswith(("/amp/", "/eks/")) else "" if headers.get(
            "authorization") == f"Bearer {GOOGLE if target.startswith('/gmp/') else AZURE}" else "another token"
        if refusal:
            self.refusals.append(f"{method} {target}: {refusal}")
            return 403, json.dumps({"message": refusal})
        return 200, json.dumps({"status": "success", "data": {
            "resultType": "scalar", "result": [time.time(), "35"]}})

    def close(self):
        self._server.shutdown()
        self._server.server_close()
