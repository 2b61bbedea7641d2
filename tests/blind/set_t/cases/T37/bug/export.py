import json
from pathlib import Path
import torch


class Exporter:
    """Writes a CPU-only snapshot for the mobile team."""

    def __init__(self, folder, example):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.example = example
        self.written = []

    def __call__(self, model, tag):
        host = model.to("cpu")
        host.eval()
        with torch.no_grad():
            reference = host(self.example)
        path = self.folder / f"{tag}.json"
        weights = {k: v.tolist() for k, v in host.state_dict().items()}
        path.write_text(json.dumps({"weights": weights, "reference": reference.tolist()}))
        self.written.append(path)
        return path
