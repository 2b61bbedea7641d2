LAYERS = {}


def register(name):
    def wrap(cls):
        LAYERS[name] = cls
        return cls
    return wrap


def build_layer(cfg):
    cfg = dict(cfg)
    return LAYERS[cfg.pop("type")](**cfg)
