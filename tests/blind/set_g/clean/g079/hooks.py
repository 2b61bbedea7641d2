class ActivationRecorder:
    """Keeps detached host copies of what the named layers put out."""

    def __init__(self, model, names):
        self.store = {}
        modules = dict(model.named_modules())
        self.handles = [modules[n].register_forward_hook(self.make(n)) for n in names]

    def make(self, name):
        def hook(module, inputs, output):
            self.store.setdefault(name, []).append(output.detach().float().cpu())
        return hook

    def clear(self):
        self.store.clear()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for handle in self.handles:
            handle.remove()
        self.handles = []
