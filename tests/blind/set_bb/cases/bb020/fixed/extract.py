import torch


@torch.no_grad()
def bank(encoder, loader, device):
    """All features of a split, normalised, on the device."""
    encoder.eval()
    feats, labels = [], []
    for batch in loader:
        z = encoder(batch["x"].to(device))
        feats.append(torch.nn.functional.normalize(z, dim=1))
        labels.append(batch["y"].to(device))
    return {"z": torch.cat(feats), "y": torch.cat(labels)}


def knn(bank_a, bank_b, k=5):
    with torch.no_grad():
        near = (bank_b["z"] @ bank_a["z"].t()).topk(k, 1).indices
        votes = bank_a["y"][near].mode(1).values
        return (votes == bank_b["y"]).float().mean().item()
