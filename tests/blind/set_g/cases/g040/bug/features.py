import torch


class FeatureExtractor:
    def __init__(self, backbone, device):
        self.backbone = backbone.to(device).eval()
        self.device = device

    @torch.inference_mode()
    def extract(self, batches):
        chunks = [self.backbone(b.to(self.device)) for b in batches]
        return torch.cat(chunks)
