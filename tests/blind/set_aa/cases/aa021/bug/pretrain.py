import torch
import torch.nn.functional as F

from textcls import BagClassifier, WordTokenizer

TEXTS = ["good film great cast", "bad plot awful sound", "great story", "awful awful film"]
LABELS = torch.tensor([1, 0, 1, 0])


def pretrain(path, epochs=20):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tok = WordTokenizer.train(TEXTS)
    model = BagClassifier(len(tok.stoi), 2).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    ids, offsets = (t.to(device) for t in tok.batch(TEXTS))
    labels = LABELS.to(device)
    for _ in range(epochs):
        loss = F.cross_entropy(model(ids, offsets), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
    torch.save({"weights": model.state_dict(), "stoi": tok.stoi}, path)
