import torch


def embed_all(model, loader, device):
    """Returns {"image": (N, D), "text": (N, D), "id": (N,)} over a loader."""
    parts = {"image": [], "text": [], "id": []}
    model.eval()
    with torch.no_grad():
        for batch in loader:
            parts["image"].append(model.encode_image(batch["image"].to(device)))
            parts["text"].append(model.encode_text(batch["text"].to(device)))
            parts["id"].append(batch["id"])
    return {k: torch.cat(v) for k, v in parts.items()}
