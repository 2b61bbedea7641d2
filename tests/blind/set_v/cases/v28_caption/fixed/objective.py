from torch import nn


class Objective(nn.Module):
    """Reconstruction plus, if the batch has labels, classification."""

    def __init__(self, alpha=0.5):
        super().__init__()
        self.alpha = alpha
        self.recon = nn.SmoothL1Loss()
        self.classify = nn.CrossEntropyLoss()

    def forward(self, outputs, batch):
        losses = {"recon": self.recon(outputs["x"], batch["x"])}
        if "label" in batch:
            losses["cls"] = self.alpha * self.classify(outputs["logits"], batch["label"])
        return sum(losses.values()), losses
