// Pairs to begin with, each showing something else.

export const EXAMPLES = [
  {
    name: "German, verb at the end",
    source: "Wir werden Ihnen nächste Woche den unterschriebenen Vertrag zuschicken.",
    target: "We will send you the signed contract next week.",
  },
  {
    name: "English – Hindi",
    source: "The children are reading a new book about animals at school.",
    target: "बच्चे स्कूल में जानवरों के बारे में एक नई किताब पढ़ रहे हैं।",
  },
  {
    name: "English – Persian",
    source: "I want to read this book again.",
    target: "می‌خواهم این کتاب را دوباره بخوانم.",
  },
  {
    name: "Many languages in one",
    source: "Heute Abend kochen wir una zuppa with vegetables aus dem Garten.",
    target: "Tonight we cook eine Suppe con verduras from the garden.",
  },
  {
    name: "A long sentence",
    source:
      "When the old lighthouse keeper, who had lived alone on the island for more than thirty years, finally " +
      "decided to leave his tower and move to the small village on the mainland where his sister and her three " +
      "children were waiting for him, the fishermen gathered in the harbour at dawn, lit a hundred lanterns, and " +
      "sang the songs that he had taught their fathers, while the wind, as if it wanted to listen, fell silent, " +
      "and the sea lay before them like a dark mirror, in which the last stars of the night slowly disappeared.",
    target:
      "Als der alte Leuchtturmwärter, der mehr als dreißig Jahre lang allein auf der Insel gelebt hatte, sich " +
      "endlich entschloss, seinen Turm zu verlassen und in das kleine Dorf auf dem Festland zu ziehen, wo seine " +
      "Schwester und ihre drei Kinder auf ihn warteten, versammelten sich die Fischer im Morgengrauen im Hafen, " +
      "zündeten hundert Laternen an und sangen die Lieder, die er ihren Vätern beigebracht hatte, während der " +
      "Wind, als wollte er zuhören, verstummte und das Meer wie ein dunkler Spiegel vor ihnen lag, in dem die " +
      "letzten Sterne der Nacht langsam verschwanden.",
  },
];
