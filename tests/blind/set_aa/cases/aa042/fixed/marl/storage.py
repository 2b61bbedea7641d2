import torch


class EpisodeStore:
    def __init__(self, with_masks):
        self.with_masks, self.rows = with_masks, []

    def add(self, **row):
        self.rows.append(row)

    def batch(self, device):
        keys = ["joint", "reward"] + (["mask"] if self.with_masks else [])
        return {k: torch.stack([r[k] for r in self.rows]).to(device) for k in keys}
