"""The pages that an operator serves, as kubelets and Prometheus ask for them."""

import http.client


def get(address, page):
    """Status and text of a page; None when nobody listens."""
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        connection.request("GET", page)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return None
    finally:
        connection.close()
