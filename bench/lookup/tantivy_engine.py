"""Measures tantivy with the rows and queries of the other engines: reads a job as JSON, writes its result as JSON.

Two passes, as for a person who types: words that begin so, by weight; where that finds fewer than ten rows, words with
one slip from four letters on and two from seven.
"""

import json
import resource
import sys
import time

import tantivy

TOP = 10


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


with open(sys.argv[1]) as file:
    job = json.load(file)
names = [name for name, _, _ in job["rows"]]
before = memory()
schema = (
    tantivy.SchemaBuilder()
    .add_text_field("text", tokenizer_name="whitespace", index_option="basic")
    .add_integer_field("weight", fast=True)
    .add_integer_field("row", stored=True, fast=True)
    .build()
)
index = tantivy.Index(schema)
index.register_tokenizer(
    "whitespace", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
)
start = time.perf_counter()
writer = index.writer(heap_size=128 * 2**20, num_threads=1)
for row, (name, alias, weight) in enumerate(job["rows"]):
    writer.add_document(tantivy.Document(text=f"{name} {alias}", weight=weight, row=row))
writer.commit()
writer.wait_merging_threads()
build_seconds = time.perf_counter() - start
bytes_per_row = (memory() - before) / len(names)
index.reload()
searcher = index.searcher()


def rows_of(words, distance_of, limit):
    terms = [
        (tantivy.Occur.Must, tantivy.Query.fuzzy_term_query(schema, "text", word, distance=distance_of(word), prefix=True))
        for word in words
    ]
    if not terms:
        return []
    hits = searcher.search(tantivy.Query.boolean_query(terms), limit, order_by_field="weight", count=False).hits
    return [searcher.doc(address)["row"][0] for _, address in hits]


def slips(word):
    return 0 if len(word) < 4 else 1 if len(word) < 7 else 2


def top_ten(query):
    words = query.split()[:10]
    found = rows_of(words, lambda _: 0, TOP)
    if len(found) < TOP:
        found += [row for row in rows_of(words, slips, TOP) if row not in found]
    return found[:TOP]


def spread(values):
    values = sorted(values)
    at = lambda share: values[int(share * (len(values) - 1))]  # noqa: E731
    return {"p50": at(0.5), "p99": at(0.99), "max": values[-1]}


def measure(queries, seconds):
    end = time.perf_counter() + seconds
    for query in queries:
        top_ten(query)
        if time.perf_counter() > end:
            break
    wall, cpu = [], []
    end = time.perf_counter() + seconds
    for query in queries:
        used, began = time.process_time(), time.perf_counter()
        top_ten(query)
        wall.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - used) * 1000)
        if time.perf_counter() > end:
            break
    return {"queries": len(wall), "wall": spread(wall), "cpu": spread(cpu)}


seconds = job["seconds"]
times = [{"name": each["name"], **measure(each["queries"], seconds)} for each in job["classes"]]

asked = complete = 0
end = time.perf_counter() + seconds * 6
for prefix, rows in job["expected"]:
    found = set(rows_of([prefix], lambda _: 0, len(names)))
    asked += 1
    complete += all(row in found for row in rows)
    if time.perf_counter() > end:
        break
completeness = {"asked": asked, "share": complete / asked}

asked = recalled = 0
end = time.perf_counter() + seconds * 2
for typed, wanted in job["damaged"]:
    asked += 1
    recalled += any(names[row] == wanted for row in top_ten(typed))
    if time.perf_counter() > end:
        break

json.dump(
    {
        "engine": "tantivy",
        "rows": len(names),
        "bytesPerRow": bytes_per_row,
        "buildSeconds": build_seconds,
        "completeness": completeness,
        "typoRecall": {"asked": asked, "share": recalled / asked},
        "times": times,
    },
    sys.stdout,
)
