import torch


class BasePredictor:
    def __init__(self, model, device="auto", batch_size=4):
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.model.eval()
        self.batch_size = batch_size

    def collate(self, items):
        return {"x": torch.stack(items)}

    def move(self, batch):
        return {k: v.to(self.device) if torch.is_tensor(v) else v for k, v in batch.items()}

    def run(self, items):
        for i in range(0, len(items), self.batch_size):
            batch = self.move(self.collate([self.preprocess(it) for it in items[i:i + self.batch_size]]))
            with torch.no_grad():
                out = self.model(**batch)
            yield from self.postprocess(out)

    def __call__(self, items):
        return list(self.run(items))
