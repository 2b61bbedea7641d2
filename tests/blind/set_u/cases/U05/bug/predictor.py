import numpy as np
import torch
import torch.nn.functional as F


class Predictor:
    """Wraps a classifier for use outside of training."""

    def __init__(self, model, labels, device=None, size=32):
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.model = model.to(self.device).eval()
        self.labels = labels
        self.size = size

    def _prepare(self, images):
        if isinstance(images, np.ndarray):
            if images.ndim == 3:
                images = images[None]
            x = torch.from_numpy(images).permute(0, 3, 1, 2).float().div(255)
            x = x.to(self.device)
        else:
            x = torch.stack([torch.as_tensor(im, dtype=torch.float32).permute(2, 0, 1) for im in images]) / 255
        return F.interpolate(x, size=(self.size, self.size), mode="bilinear", align_corners=False)

    @torch.no_grad()
    def __call__(self, images, topk=2):
        x = self._prepare(images)
        scores, idx = self.model(x).softmax(dim=1).topk(topk)
        return [
            [(self.labels[j], round(s, 3)) for s, j in zip(row_s, row_i)]
            for row_s, row_i in zip(scores.tolist(), idx.tolist())
        ]
