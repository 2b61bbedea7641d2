MODELS = {}


def register(name):
    def wrap(cls):
        MODELS[name] = cls
        return cls

    return wrap


def build(name, **kwargs):
    return MODELS[name](**kwargs)
