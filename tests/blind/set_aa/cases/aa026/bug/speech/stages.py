from contextlib import contextmanager


def set_trainable(modules, flag):
    for m in modules:
        m.requires_grad = flag
        m.train(flag)


@contextmanager
def stage(name, model):
    """Stage "probe" trains the classifier only, stage "full" everything."""
    frozen = [model.encoder] if name == "probe" else []
    set_trainable(frozen, False)
    try:
        yield [p for p in model.parameters() if p.requires_grad]
    finally:
        set_trainable(frozen, True)
