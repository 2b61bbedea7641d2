from .detector import AnchorDetector

__all__ = ["AnchorDetector", "build_model"]


def build_model(name: str, **kwargs):
    registry = {"anchor": AnchorDetector}
    if name not in registry:
        raise KeyError(f"unknown model {name}")
    return registry[name](**kwargs)
