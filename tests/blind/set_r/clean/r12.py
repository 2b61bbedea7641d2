"""Regression metrics that are gathered on the device and read once."""
import torch


def pick_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    npu = getattr(torch, "npu", None)
    if npu is not None and npu.is_available():
        return torch.device("npu")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


class Summary:
    def __init__(self, device):
        self.device = device
        self.predicted = []
        self.wanted = []

    def add(self, predicted, wanted):
        self.predicted.append(predicted.detach().to(self.device))
        self.wanted.append(wanted.to(self.device))

    def stacked(self):
        return torch.concatenate(self.predicted), torch.row_stack(self.wanted)

    @torch.no_grad()
    def report(self):
        predicted, wanted = self.stacked()
        error = torch.absolute(torch.subtract(predicted, wanted))
        ranked = torch.argsort(error, dim=1)
        best = torch.take_along_dim(error, ranked[:, :1], dim=1)
        share = torch.true_divide(error, error.sum(1, keepdim=True))
        values = {
            "mae": error.mean(),
            "spread": torch.std(torch.moveaxis(error, 0, 1), dim=1).max(),
            "best": best.mean(),
            "entropy": torch.special.entr(share).sum(1).mean(),
        }
        return {name: value.item() for name, value in values.items()}


if __name__ == "__main__":
    summary = Summary(pick_device())
    for rows in (3, 5, 4):
        wanted = torch.randn(rows, 6)
        summary.add(wanted + 0.1 * torch.randn(rows, 6), wanted)
    print(summary.report())
