"""Reads the pages that an operator serves, as kubelets and Prometheus do."""

import http.client


def get(address, page):
    """The status and the text of a page; None if the connection fails."""
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        connection.request("GET", page)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return None
    finally:
        connection.close()
