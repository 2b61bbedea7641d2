import torch

from audio import LogMel, SpecAugment, synth
from model import KeywordNet


def collate(batch):
    waves, labels = zip(*batch)
    n = max(len(w) for w in waves)
    out = torch.zeros(len(waves), n)
    for row, w in zip(out, waves):
        row[:len(w)] = w
    return out, torch.tensor(labels), torch.tensor([len(w) for w in waves])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = [synth(i % 3, 800 + 40 * (i % 5)) for i in range(36)]
    loader = torch.utils.data.DataLoader(data, batch_size=12, shuffle=True, collate_fn=collate)
    frontend, augment = LogMel().to(device), SpecAugment()
    net = KeywordNet(frontend.n_mels, 3).to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    for epoch in range(3):
        frontend.train()
        net.train()
        right = 0
        for wave, label, lens in loader:
            wave, label = wave.to(device), label.to(device)
            with torch.no_grad():
                feats = augment(frontend(wave))
                frames = frontend.frames(lens).to(device)
            logits = net(feats, frames)
            loss = torch.nn.functional.cross_entropy(logits, label)
            opt.zero_grad()
            loss.backward()
            opt.step()
            right += (logits.argmax(1) == label).sum().item()
        print(epoch, loss.item(), right / len(data))


if __name__ == "__main__":
    main()
