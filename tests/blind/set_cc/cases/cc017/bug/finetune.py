import torch
import torch.nn.functional as F

from encoder import SentenceEncoder
from losses import multiple_negatives

PAIRS = [("how tall is it", "it is nine metres tall"), ("who wrote this", "a novel by an unknown author"),
         ("when did it open", "opened in the spring of 1912"), ("where is the bay", "south of the old harbour")]


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = SentenceEncoder().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    questions, answers = map(list, zip(*PAIRS))
    for epoch in range(3):
        model.train()
        q, a = model.encode(questions), model.encode(answers)
        loss = multiple_negatives(q, a)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        hits = (model.encode(questions) @ model.encode(answers).T).argmax(1).tolist()
        print(epoch, loss.item(), hits)


if __name__ == "__main__":
    main()
