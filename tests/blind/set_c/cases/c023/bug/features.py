import torch


@torch.inference_mode()
def extract(backbone, loader, device):
    """Features of a whole dataset, computed once by the frozen backbone."""
    backbone.eval()
    feats, labels = [], []
    for x, y in loader:
        feats.append(backbone(x.to(device)))
        labels.append(y.to(device))
    return torch.cat(feats), torch.cat(labels)
