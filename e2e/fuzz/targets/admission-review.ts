import { promise, type Target } from '../target';
import { parseAdmissionReview, reviewAnswer, uidFromPrefix } from '../../../webhook/admission/admission-review';
import { sampleReviews } from '../reviews';

/** The body of a request at the webhook's port, of which nothing is known yet. */
export const target: Target = {
  seeds: [...sampleReviews, '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u"}}'],
  maxBytes: 256 * 1024,
  run: (input) => {
    const early = uidFromPrefix(input);
    promise(early === undefined || /^[-.:\w]{1,128}$/.test(early), 'a uid out of a prefix is one');
    const review = parseAdmissionReview(input);
    if (!review) return;
    const answer = JSON.parse(reviewAnswer(review.uid).toString('utf8')) as { response: unknown };
    promise(
      JSON.stringify(answer.response) === JSON.stringify({ uid: review.uid, allowed: true }),
      'the answer names the uid of the request',
    );
  },
};
