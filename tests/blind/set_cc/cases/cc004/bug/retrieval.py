import torch
import torch.nn.functional as F


@torch.no_grad()
def recall_at_k(encoder, loader, k=5):
    encoder.eval()
    queries, keys = [], []
    for batch in loader:
        queries.append(F.normalize(encoder(batch["anchor"]), dim=-1))
        keys.append(F.normalize(encoder(batch["positive"]), dim=-1))
    queries, keys = torch.cat(queries), torch.cat(keys)
    top = (queries @ keys.T).topk(k, dim=1).indices
    gold = torch.arange(len(queries), device=top.device).unsqueeze(1)
    return (top == gold).any(dim=1).float().mean().item()
