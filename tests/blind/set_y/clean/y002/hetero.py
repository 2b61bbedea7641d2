import torch


class HeteroBatch(dict):
    """Node and edge tensors by type name; non tensors travel along untouched."""

    def to(self, device, non_blocking=False):
        moved = {
            k: v.to(device, non_blocking=non_blocking) if torch.is_tensor(v) else v
            for k, v in self.items()
        }
        return HeteroBatch(moved)


def sample_batch(n_users=20, n_items=15, n_edges=60):
    return HeteroBatch(
        user=torch.randn(n_users, 8),
        item=torch.randn(n_items, 8),
        edges=torch.stack([torch.randint(n_users, (n_edges,)), torch.randint(n_items, (n_edges,))]),
        label=torch.randint(0, 3, (n_items,)),
        name="clicks",
    )
