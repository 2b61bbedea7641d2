import argparse
import os
import tempfile

import torch

from pretrain import pretrain
from textcls import BagClassifier, WordTokenizer


class Predictor:
    def __init__(self, path, device):
        self.device = torch.device(device)
        blob = torch.load(path)
        self.tok = WordTokenizer(blob["stoi"])
        self.model = BagClassifier(len(self.tok.stoi), 2)
        self.model.load_state_dict(blob["weights"])
        self.model.to(self.device).eval()

    @torch.no_grad()
    def __call__(self, texts):
        ids, offsets = self.tok.batch(texts)
        prob = self.model(ids.to(self.device), offsets.to(self.device)).softmax(-1)
        return prob[:, 1].tolist()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--ckpt", default=os.path.join(tempfile.gettempdir(), f"bag_{os.getpid()}.pt"))
    ap.add_argument("--device", default="cpu")
    args = ap.parse_args()
    if not os.path.exists(args.ckpt):
        pretrain(args.ckpt)
    predictor = Predictor(args.ckpt, args.device)
    print(predictor(["great film", "awful plot"]))
