"""Which turned cases somebody has approved, in comments on the pull request.

What an approval covers cannot be read off its digest. Our comments list the pairs beside it, and
the digest proves that nobody has changed the list.
"""

from collections.abc import Iterable, Mapping

import msgspec

from agentevals.action.job import Job
from agentevals.github import approvals
from agentevals.model.errors import UnavailableError
from agentevals.model.rules import Offer, Rules
from agentevals.report.pages.rules import read_offers


def add_approvals(job: Job, rules: Rules) -> Rules:
    """Return the rules with who has approved what, as far as GitHub can be asked."""
    if not rules.turned or job.api is None or job.context.number is None:
        return _offer(rules, ())
    repository, author = job.context.repository, job.context.author if rules.others_only else ""
    try:
        remarks = approvals.list_remarks(job.github, repository, job.context.number)
        found = dict(approvals.find_approvers(job.github, repository, remarks, without=author))
    except UnavailableError as error:
        job.log.warning(f"approvals of changed rules cannot be read: {error}")
        return _offer(rules, ())
    return apply(rules, found, [o for remark in remarks for o in read_offers(remark.body or "")])


def apply(rules: Rules, approved: Mapping[str, str], known: Iterable[Offer]) -> Rules:
    """Return the rules with the approvals: people by digest, of offers that are known.

    The digest of what is pending needs no list: once the known ones are applied, it may be that.
    """
    offers = {offer.digest: offer for offer in known if offer.is_genuine}
    used = [offers[digest] for digest in approved if digest in offers]
    for offer in used:
        rules = _cover(rules, offer, approved[offer.digest])
    pending = Offer.make(one.pair for one in rules.pending)
    if pending.digest in approved:
        used.append(pending)
        rules = _cover(rules, pending, approved[pending.digest])
    return _offer(rules, tuple(used))


def _cover(rules: Rules, offer: Offer, who: str) -> Rules:
    turned = tuple(
        msgspec.structs.replace(one, approved_by=one.approved_by or who)
        if one.pair in offer.pairs
        else one
        for one in rules.turned
    )
    return msgspec.structs.replace(rules, turned=turned)


def _offer(rules: Rules, earlier: tuple[Offer, ...]) -> Rules:
    """Return the rules with what can be approved now, and with what was approved before."""
    pending = [one.pair for one in rules.pending]
    offers = (*earlier, Offer.make(pending)) if pending else earlier
    return msgspec.structs.replace(rules, offers=offers)
