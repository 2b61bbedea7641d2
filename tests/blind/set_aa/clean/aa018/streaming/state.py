import torch


def detach_tree(state):
    if torch.is_tensor(state):
        return state.detach()
    if isinstance(state, dict):
        return {k: detach_tree(v) for k, v in state.items()}
    return type(state)(detach_tree(s) for s in state)


class StateKeeper:
    def __init__(self, model, batch):
        self.model, self.batch = model, batch
        self.state = None

    def __enter__(self):
        self.state = self.model.initial(self.batch)
        return self

    def __exit__(self, *exc):
        self.state = None

    def advance(self, state):
        self.state = detach_tree(state)
