/* Rank pages by the words of a query that they hold, in place of Sphinx's exact phrases and all words.

A word weighs the more the fewer pages have it, and counts where it stands best on a page: in its
title, in what it is found by, in a heading, in its text. Any word finds; the more of them the better. */
(() => {
  const WEIGHTS = { title: 6, entry: 6, heading: 3, text: 1 };
  const MOST = 20; // results
  const LATER = [
    [/^(CHANGELOG|CONTRIBUTING|reference\/(benchmarks|kernel-words))/, 0.25],
    [/^_generated\/api/, 0.3],
    [/^(papers|reference)\//, 0.6],
    [/^(tools\/|guide\/errors|metrics\/index|questions\/(hedge|index))/, 0.75],
  ];
  /* Words that stand for one another; a word that a page has itself counts more. */
  const ALIKE = `query queries topic topics question questions
    judge judges judging annotate annotation annotator assessor label labels labelling
    judgments judgements qrels relevance
    huge big large larger memory
    heatmap map matrix
    boxplot boxes box
    overleaf latex booktabs tex
    jupyter notebook colab ipython
    dashboard report html share colleagues
    atomised atomized
    standardise standardize
    incomplete unjudged holes
    leave left leaving
    correlation tau kendall
    family-wise multiple corrections holm bonferroni
    cohen hedges effect
    win wins beats
    llm gpt model language
    breaking breaker tied ties
    cutoff cut depth
    melt long wide
    noninferiority inferiority superiority equivalence equivalent margin
    size power sample
    wandb mlflow logger training
    elasticsearch opensearch lucene solr
    exit status code
    abstain abstention silence unanswerable threshold
    seed seeds`
    .split("\n")
    .map((line) => line.trim().split(" "));
  const SAID_ANYWHERE = new Set(
    `how do does i my we what which when where why can should need use using get make from have much
    many there some any one`
      .split(/\s+/),
  );

  const stemmer = new Stemmer();
  const stems = (text) =>
    splitQuery(text.toLowerCase())
      .flatMap((word) => [...new Set([word, ...word.split("_")])])
      .filter((word) => /\p{Letter}/u.test(word) && !stopwords.has(word))
      .map((word) => stemmer.stemWord(word));
  const pagesOf = (table, word) =>
    Object.hasOwn(table, word) ? [table[word]].flat() : [];

  /* Phrases with the pages that they stand on, as page -> [its words, their weight, text, anchor]. */
  const phrases = (index) => {
    const found = new Map(index.docnames.map((_, page) => [page, []]));
    const add = (page, text, weight, anchor) =>
      found.get(page).push([new Set(stems(text)), weight, text, anchor]);
    index.titles.forEach((text, page) => add(page, text, WEIGHTS.title, ""));
    for (const [text, places] of Object.entries(index.alltitles))
      for (const [page, id] of places)
        if (id !== null && text !== index.titles[page]) add(page, text, WEIGHTS.heading, "#" + id);
    for (const [text, places] of Object.entries(index.indexentries))
      for (const [page, , main] of places) if (main) add(page, text, WEIGHTS.entry, "");
    return found;
  };

  /* Words of the index that a word of the query is, or else begins. */
  const known = (index, held, word) => {
    const alike = ALIKE.map((line) => line.flatMap(stems))
      .filter((line) => line.includes(word))
      .flat()
      .map((other) => [other, other === word ? 1 : 0.6]);
    if (alike.length || held.has(word) || Object.hasOwn(index.terms, word) || word.length < 4)
      return alike.length ? alike : [[word, 1]];
    return [...held, ...Object.keys(index.terms)]
      .filter((other) => other.startsWith(word))
      .map((other) => [other, 0.5]);
  };

  let prepared = null;
  const prepare = (index) => {
    const of = phrases(index);
    const words = new Map();
    for (const [page, each] of of)
      for (const [held] of each)
        for (const word of held) words.set(word, (words.get(word) ?? new Set()).add(page));
    return { of, words };
  };

  Search._performSearch = (query, searchTerms, excludedTerms) => {
    const index = Search._index;
    prepared ??= prepare(index);
    const { of, words } = prepared;
    _removeChildren(document.getElementById("search-progress"));
    const asked = [...new Set(stems(query))];
    const telling = asked.filter((word) => !SAID_ANYWHERE.has(word));
    const terms = (telling.length ? telling : asked).map((word) => {
      const others = known(index, new Set(words.keys()), word);
      const pages = new Set(
        others.flatMap(([other]) => [...(words.get(other) ?? []), ...pagesOf(index.terms, other)]),
      );
      return { others, weight: Math.log(1 + index.docnames.length / (1 + pages.size)), pages };
    });
    const whole = terms.reduce((sum, { weight }) => sum + weight, 0);
    const results = [];
    for (const page of new Set(terms.flatMap(({ pages }) => [...pages]))) {
      let [sum, matched] = [0, 0];
      const told = new Map(); // phrase -> what it adds
      for (const { others, weight } of terms) {
        let best = 0;
        let by = null;
        for (const [other, likeness] of others) {
          if (pagesOf(index.terms, other).includes(page))
            best = Math.max(best, WEIGHTS.text * likeness);
          for (const phrase of of.get(page)) {
            if (!phrase[0].has(other)) continue;
            const share = 0.4 + (0.6 * terms.filter((t) => t.others.some(([o]) => phrase[0].has(o))).length) / phrase[0].size;
            const value = phrase[1] * likeness * Math.min(share, 1);
            if (value > best) [best, by] = [value, phrase];
          }
        }
        if (!best) continue;
        sum += best * weight;
        matched += weight;
        if (by) told.set(by, (told.get(by) ?? 0) + best * weight);
      }
      if ([...excludedTerms].some((word) => pagesOf(index.terms, word).includes(page))) continue;
      const later = LATER.find(([pattern]) => pattern.test(index.docnames[page]))?.[1] ?? 1;
      const place = [...told].sort((a, b) => b[1] - a[1])[0]?.[0];
      const heading = place?.[3] ? ` > ${place[2]}` : "";
      results.push([
        index.docnames[page],
        index.titles[page] + heading,
        place?.[3] ?? "",
        null,
        (sum * later * matched) / whole,
        index.filenames[page],
        SearchResultKind.title,
      ]);
    }
    // The list is shown from its end.
    return results.sort((a, b) => a[4] - b[4]).slice(-MOST);
  };
})();
