import os
import tempfile
import torch
from arch import Scorer, skeleton


class Service:
    def __init__(self, path, device):
        self.device = torch.device(device)
        state = torch.load(path, map_location="cpu", mmap=True)
        model = skeleton()
        model = model.to(self.device)
        model.load_state_dict(state)
        self.model = model.eval()

    @torch.no_grad()
    def __call__(self, rows):
        return self.model(torch.tensor(rows, device=self.device)).tolist()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "scorer.pt")
        torch.save(Scorer().state_dict(), path)
        svc = Service(path, "cuda" if torch.cuda.is_available() else "cpu")
        print(svc([[0.1] * 12, [0.2] * 12]))
        del svc
