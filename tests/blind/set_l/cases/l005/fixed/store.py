import torch


def save_bundle(path, model, centroids, meta):
    torch.save({"model": model.state_dict(), "centroids": centroids, "meta": meta}, path)


def load_bundle(path, device):
    return torch.load(path, map_location=device)
