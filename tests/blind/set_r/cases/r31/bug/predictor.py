import numpy as np
import torch

from segmenter import Segmenter


class Predictor:
    def __init__(self, model=None, device=None):
        self.model = (model or Segmenter()).eval()
        if device is not None:
            self.model.to(device)

    def _tensor(self, image):
        x = torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))).float().div(255)
        return x.unsqueeze(0).to(self.model.device)

    @torch.no_grad()
    def mask(self, image):
        scores = self.model(self._tensor(image))
        return scores.argmax(dim=1)[0].cpu().numpy()

    @torch.no_grad()
    def share(self, image):
        mask = self.mask(image)
        return {int(c): float((mask == c).mean()) for c in np.unique(mask)}
