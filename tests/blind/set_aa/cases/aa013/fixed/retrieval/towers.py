import torch.nn as nn
import torch.nn.functional as F


class TwoTower(nn.Module):
    def __init__(self, img=24, txt=12, dim=8):
        super().__init__()
        self.img = nn.Sequential(nn.Linear(img, 32), nn.ReLU(), nn.Linear(32, dim))
        self.txt = nn.Sequential(nn.Linear(txt, 32), nn.ReLU(), nn.Linear(32, dim))

    def encode_image(self, x):
        return F.normalize(self.img(x), dim=-1)

    def encode_text(self, x):
        return F.normalize(self.txt(x), dim=-1)
