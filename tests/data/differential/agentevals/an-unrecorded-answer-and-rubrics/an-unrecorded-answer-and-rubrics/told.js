const sent = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answer = { score: 1.0, ...(sent.config.answer || {}) };
answer.details = { ...(answer.details || {}), sent };
console.log(JSON.stringify(answer));
