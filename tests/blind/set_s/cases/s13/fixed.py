import torch
import torch.nn as nn


class UNetSmall(nn.Module):
    def __init__(self, classes=2, width=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv3d(1, width, 3, padding=1), nn.InstanceNorm3d(width), nn.ReLU())
        self.mid = nn.Sequential(nn.Conv3d(width, width, 3, padding=1), nn.ReLU())
        self.out = nn.Conv3d(width * 2, classes, 1)

    def forward(self, x):
        a = self.enc(x)
        return self.out(torch.cat([a, self.mid(a)], dim=1))


def windows(shape, size, step):
    starts = [sorted({*range(0, n - size, step), n - size}) for n in shape]
    for z in starts[0]:
        for y in starts[1]:
            for x in starts[2]:
                yield slice(z, z + size), slice(y, y + size), slice(x, x + size)


class VolumeSegmenter:
    def __init__(self, model, size=8, overlap=0.5, flip=True):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device).eval()
        self.size, self.step, self.flip = size, int(size * (1 - overlap)), flip

    def predict_patch(self, patch):
        prob = self.model(patch).softmax(1)
        if self.flip:
            prob = prob + self.model(patch.flip(-1)).softmax(1).flip(-1)
        return prob[0].cpu()

    @torch.inference_mode()
    def __call__(self, volume):
        total = torch.zeros(2, *volume.shape)
        count = torch.zeros(volume.shape)
        for where in windows(volume.shape, self.size, self.step):
            patch = volume[where][None, None].to(self.device)
            total[(slice(None), *where)] += self.predict_patch(patch)
            count[where] += 1
        return (total / count).argmax(0)


if __name__ == "__main__":
    segment = VolumeSegmenter(UNetSmall())
    scan = torch.randn(12, 12, 12)
    labels = segment((scan - scan.mean()) / scan.std())
    print(labels.shape, labels.float().mean().item())
