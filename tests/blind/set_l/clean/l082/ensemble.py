import torch


class Ensemble:
    """A plain container for already trained networks; not a Module on purpose."""

    def __init__(self, members=()):
        self.members = list(members)

    def add(self, model):
        self.members.append(model)

    def to(self, device):
        for m in self.members:
            m.to(device)
        return self

    @torch.no_grad()
    def predict(self, x):
        probs = []
        for m in self.members:
            m.eval()
            probs.append(m(x.to(next(m.parameters()).device)).softmax(-1))
        stacked = torch.stack(probs)
        return stacked.mean(0), stacked.std(0).mean(-1)
