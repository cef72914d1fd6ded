"""What the operator remembers of the HPAs that it manages, outside of its store."""

from .api import path


def hpa_memories(api, namespace):
    """A text by the HPA's name."""
    objects = [object_ for object_ in api.list(path("v1", "configmaps", namespace))
               if object_["metadata"]["name"].startswith("ballast-hpa-memory")]
    return {name: text for object_ in objects for name, text in object_.get("data", {}).items()}
