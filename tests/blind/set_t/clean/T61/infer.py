import torch
from torch import nn
from post import decode, nms


class CentreNet(nn.Module):
    def __init__(self, classes=3, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(width, width, 3, 2, 1), nn.ReLU(inplace=True))
        self.heads = nn.ModuleDict({"heat": nn.Conv2d(width, classes, 1), "size": nn.Conv2d(width, 2, 1), "offset": nn.Conv2d(width, 2, 1)})

    def forward(self, x):
        f = self.body(x)
        out = {name: head(f) for name, head in self.heads.items()}
        return {"heat": out["heat"].sigmoid(), "size": out["size"].exp(), "offset": out["offset"].sigmoid()}


class Predictor:
    def __init__(self, model, device, score=0.1):
        self.model = model.to(device).eval()
        self.device = device
        self.score = score

    @torch.inference_mode()
    def __call__(self, images):
        boxes, scores, labels = decode(**self.model(images.to(self.device)))
        results = []
        for b, s, l in zip(boxes, scores, labels):
            b, s, l = b[s > self.score], s[s > self.score], l[s > self.score]
            keep = nms(b, s)
            results.append({"boxes": b[keep].cpu().numpy(), "scores": s[keep].tolist(), "labels": l[keep].tolist()})
        return results


if __name__ == "__main__":
    torch.manual_seed(0)
    predictor = Predictor(CentreNet(), torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for r in predictor(torch.rand(2, 3, 64, 64)):
        print(len(r["boxes"]), r["labels"][:5])
