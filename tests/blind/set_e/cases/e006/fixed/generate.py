import os
import tempfile

import torch

from checkpoints import latest, load_checkpoint, save_checkpoint
from vocoder import TinyVocoder


def synthesise(folder, mels):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = TinyVocoder().to(device)
    state = load_checkpoint(latest(folder), device)
    generator.load_state_dict(state["generator"])
    generator.eval()
    with torch.no_grad():
        return [generator(m.unsqueeze(0).to(device)).squeeze(0).cpu().numpy() for m in mels]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(os.path.join(folder, "g_0001"), generator=TinyVocoder().state_dict())
        print([w.shape for w in synthesise(folder, [torch.rand(8, 5), torch.rand(8, 9)])])
