import torch


class AnomalyScorer:
    """Turns reconstruction errors into a threshold and per-point scores."""

    def __init__(self, model, window, quantile=0.98):
        self.model = model
        self.window = window
        self.quantile = quantile
        self.threshold = None

    def windows(self, series):
        return series.unfold(0, self.window, 1).transpose(1, 2)

    def errors(self, series, batch=64):
        parts = []
        for w in self.windows(series).split(batch):
            rebuilt = self.model(w)
            parts.append((rebuilt - w).abs().mean((1, 2)))
        return torch.cat(parts)

    def calibrate(self, series):
        self.model.eval()
        e = self.errors(series)
        self.threshold = torch.quantile(e, self.quantile).item()
        return self

    def __call__(self, series):
        self.model.eval()
        e = self.errors(series)
        hits = (e > self.threshold).nonzero().flatten()
        return [(int(i), round(float(e[i]), 3)) for i in hits]
