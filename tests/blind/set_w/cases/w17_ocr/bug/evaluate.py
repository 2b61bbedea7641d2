import torch
from charset import Charset
from crnn import CRNN


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (ca != cb))
    return row[-1]


@torch.no_grad()
def evaluate(net, charset, batches, device):
    net.eval()
    errors = chars = 0
    for img, texts in batches:
        logp = net(img.to(device, non_blocking=True))
        paths = logp.argmax(-1).t()
        for path, text in zip(paths, texts):
            guess = charset.collapse(path)
            errors += edit_distance(guess, text)
            chars += len(text)
    return errors / chars


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cs = Charset()
    net = CRNN(len(cs)).to(device)
    data = [(torch.randn(2, 1, 16, 40), ("abc", "dej")) for _ in range(2)]
    print("CER", evaluate(net, cs, data, device))
