"""Questions about the pages of a run, and who answers them: a person, a language model, a program or a file.

`questions` finds the pages whose answer helps most, `answer_files` reads answers given earlier, `language_model` has a
model answer behind any OpenAI-compatible server. An answer goes into the run's inbox while the run is being crawled.
"""
