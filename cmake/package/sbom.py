"""The software bill of materials of a release, as an SPDX 2.3 document."""

import hashlib
import json
import re
from datetime import datetime, timezone

import rootfs
from archive import build_time


def identifier(*names):
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.]", "-", "-".join(names))


def of_debian(package, program):
    """A Debian package, as SPDX has it. Its licences are in its copyright file, which the release has."""
    about = program.fields(package)
    url = f"pkg:deb/debian/{package}@{about['version']}?arch={about['architecture']}&distro=debian-{program.release}"
    return {
        "SPDXID": identifier(package, program.architecture), "name": package, "versionInfo": about["version"],
        "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
        "sourceInfo": f"built from Debian's source package {about['source']} {about['source_version']}",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": url.replace("+", "%2B")}]}


def relations(program):
    """Of Ballast to the packages that it needs on the program's architecture."""
    linked = set(program.owners.values())
    kinds = [("DYNAMIC_LINK" if package in linked else "DEPENDS_ON", package) for package in program.packages]
    kinds += [("STATIC_LINK", package) for package in rootfs.HEADERS_OF]  # whose code is in the program
    return [{"spdxElementId": identifier("ballast"), "relationshipType": kind,
             "relatedSpdxElement": identifier(package, program.architecture)} for kind, package in kinds]


def make(programs, about, image):
    """The document as text. `about`: what `ballast version` says; `image`: the image archive's bytes."""
    ballast = identifier("ballast")
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"ballast-{about['version']}",
        "documentNamespace": f"https://ballast.dev/spdx/{hashlib.sha256(image).hexdigest()}",
        "creationInfo": {"created": datetime.fromtimestamp(build_time(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: cmake/package/sbom.py"]},
        "documentDescribes": [ballast],
        "packages": [{
            "SPDXID": ballast, "name": "ballast", "versionInfo": about["version"],
            "supplier": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
            "sourceInfo": f"built from commit {about['commit']}",
        }, *(of_debian(package, program) for program in programs for package in (*program.packages, *rootfs.HEADERS_OF))],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": ballast},
            *(relation for program in programs for relation in relations(program))],
    }, indent=1) + "\n"
