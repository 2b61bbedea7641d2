MODELS = {}


def register(name=None):
    def wrap(cls):
        MODELS[name or cls.__name__.lower()] = cls
        return cls
    return wrap


def build(name, **kw):
    return MODELS[name](**kw)
