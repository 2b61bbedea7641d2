import torch
from transformers import Trainer, TrainingArguments

from model import Ranker, ToyDataset


def collate(items):
    return {
        "input_ids": torch.stack([i["input_ids"] for i in items]),
        "labels": torch.tensor([i["labels"] for i in items]),
    }


class MarginTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs["labels"]
        outputs = model(inputs["input_ids"])
        diff = outputs["logits"][labels == 1].mean() - outputs["logits"][labels == 0].mean()
        loss = torch.relu(1 - diff)
        return (loss, outputs) if return_outputs else loss


def main():
    args = TrainingArguments(output_dir="out", num_train_epochs=1, per_device_train_batch_size=2, report_to=[])
    trainer = MarginTrainer(model=Ranker(), args=args, train_dataset=ToyDataset(), data_collator=collate)
    trainer.train()


if __name__ == "__main__":
    main()
