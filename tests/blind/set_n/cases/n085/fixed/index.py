import torch
import torch.nn.functional as F


def in_batch_loss(scores):
    return F.cross_entropy(scores, torch.arange(len(scores), device=scores.device))


class Index:
    """All item vectors in one matrix, for retrieval."""

    def __init__(self, model):
        self.model = model
        self.matrix = None

    @torch.no_grad()
    def build(self, item_batches):
        self.model.eval()
        device = next(self.model.parameters()).device
        vectors = []
        for items in item_batches:
            vectors.append(self.model.encode_item(items.to(device)).cpu())
        self.matrix = torch.cat(vectors)
        return self

    @torch.no_grad()
    def search(self, users, k=3):
        q = self.model.encode_user(users).cpu()
        return (q @ self.matrix.T).topk(k).indices

    def recall(self, users, truth, k=3):
        return self.search(users, k).eq(truth[:, None]).any(1).float().mean().item()
