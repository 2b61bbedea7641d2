import torch
from torch import nn
import torch.nn.functional as F


class Appearance(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.fc = nn.Linear(32, dim)

    def forward(self, crops):
        return F.normalize(self.fc(self.conv(crops)), dim=1)


class Track:
    count = 0

    def __init__(self, box, feat):
        Track.count += 1
        self.id, self.box, self.feat, self.missed = Track.count, box, feat, 0

    def update(self, box, feat, momentum=0.8):
        self.box, self.missed = box, 0
        self.feat = F.normalize(momentum * self.feat + (1 - momentum) * feat, dim=0)


class Tracker:
    def __init__(self, thresh=0.2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.reid = Appearance()
        self.reid.to(self.device)
        self.reid.eval()
        self.tracks, self.thresh = [], thresh
        self.gallery = torch.zeros(0, 16, device=self.device)

    @torch.no_grad()
    def embed(self, crops):
        chunks = [self.reid(c.to(self.device)) for c in crops.split(4)]
        return torch.cat(chunks).cpu()

    def similarity(self, feats):
        feats.to(self.device)
        return self.gallery @ feats.t()

    def step(self, boxes, crops):
        feats = self.embed(crops)
        sim = self.similarity(feats)
        free = set(range(len(boxes)))
        for t, row in zip(list(self.tracks), sim.tolist()):
            options = sorted(free, key=lambda j: -row[j])
            if options and row[options[0]] > self.thresh:
                t.update(boxes[options[0]], feats[options[0]])
                free.discard(options[0])
            else:
                t.missed += 1
        self.tracks = [t for t in self.tracks if t.missed < 3]
        self.tracks += [Track(boxes[j], feats[j]) for j in sorted(free)]
        self.gallery = torch.stack([t.feat for t in self.tracks]).to(self.device)
        return [(t.id, t.box.tolist()) for t in self.tracks]


if __name__ == "__main__":
    trk = Tracker()
    for frame in range(3):
        n = 3 + frame
        out = trk.step(torch.rand(n, 4), torch.rand(n, 3, 16, 16))
        print(frame, len(out))
