import torch


def prototypes(support, labels, ways):
    hot = torch.nn.functional.one_hot(labels, ways).to(support.dtype)
    return (hot.t() @ support) / hot.sum(0)[:, None]


def compactness(support, labels, protos):
    """Mean squared distance of the supports to the centre of their own class."""
    gap = support - protos[labels]
    per_item = gap.pow(2).sum(-1)
    return per_item.mean()


def separation(protos):
    d = torch.pdist(protos)
    return torch.relu(2.0 - d).mean()
